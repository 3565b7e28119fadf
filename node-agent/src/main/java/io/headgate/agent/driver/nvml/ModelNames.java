package io.headgate.agent.driver.nvml;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// NVIDIA's names for its GPUs as pools name them: the model alone.
///
/// Example: `NVIDIA A100-SXM4-80GB` is `A100`, `NVIDIA GeForce RTX 4090` is `RTX4090`, `Tesla T4`
/// is `T4`. Memory and form factor are told apart elsewhere; a name that is not understood stays,
/// less its maker and its spaces.
final class ModelNames {
  private static final Pattern MAKER =
      Pattern.compile("^(NVIDIA|Tesla|GeForce|Quadro|Graphics Device)[ -]+");
  private static final Pattern GEFORCE =
      Pattern.compile("^(RTX|GTX) (PRO )?([0-9]+)( Ti)?( SUPER)?\\b.*");
  private static final Pattern WORKSTATION = Pattern.compile("^(?:RTX )?(A[0-9]+)\\b.*");
  private static final Pattern PLAIN = Pattern.compile("^([A-Z]{1,2}[0-9]+[A-Za-z]?)\\b.*");

  private ModelNames() {}

  static String of(String name) {
    String rest = name.strip();
    for (Matcher maker = MAKER.matcher(rest); maker.find(); maker = MAKER.matcher(rest)) {
      rest = rest.substring(maker.end());
    }
    Matcher geforce = GEFORCE.matcher(rest);
    if (geforce.matches()) {
      StringBuilder model = new StringBuilder();
      for (int group = 1; group <= geforce.groupCount(); group++) {
        if (geforce.group(group) != null) {
          model.append(geforce.group(group).strip());
        }
      }
      return model.toString().toUpperCase(Locale.ROOT).replace("TI", "Ti");
    }
    for (Pattern pattern : new Pattern[] {WORKSTATION, PLAIN}) {
      Matcher matcher = pattern.matcher(rest);
      if (matcher.matches()) {
        return matcher.group(1);
      }
    }
    String joined = rest.replaceAll("[^A-Za-z0-9._-]+", "");
    return joined.isEmpty() ? "unknown" : joined.substring(0, Math.min(64, joined.length()));
  }
}
