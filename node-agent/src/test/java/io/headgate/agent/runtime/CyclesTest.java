package io.headgate.agent.runtime;
