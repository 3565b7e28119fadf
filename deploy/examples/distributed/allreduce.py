"""Adds the numbers 1 to WORLD_SIZE across the workers of a gang, and prints the same sum in each.

Uses torch.distributed (gloo) where PyTorch is installed, and plain sockets elsewhere. Both find the other workers by
the variables that Headgate sets: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT.
"""

import os
import socket
import struct
import time

PATIENCE_S = 60


def receive(connection, size):
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise ConnectionError("another worker ended too early")
        data += piece
    return data


def reduce_as_master(address, world_size, value):
    """Takes one number from each other worker and gives the sum back to all."""
    with socket.create_server(("", address[1])) as server:
        server.settimeout(PATIENCE_S)
        others = [server.accept()[0] for _ in range(world_size - 1)]
    for other in others:
        value += struct.unpack("!d", receive(other, 8))[0]
    for other in others:
        other.sendall(struct.pack("!d", value))
        other.close()
    return value


def reduce_as_other(address, value):
    """Worker 0 may need a moment longer to listen."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            connection = socket.create_connection(address, timeout=PATIENCE_S)
            break
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
    with connection:
        connection.sendall(struct.pack("!d", value))
        return struct.unpack("!d", receive(connection, 8))[0]


def main():
    rank = int(os.environ["RANK"])
    world_size = int(os.environ["WORLD_SIZE"])
    address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
    try:
        import torch
        import torch.distributed
    except ImportError:
        way = "sockets"
        value = float(rank + 1)
        total = reduce_as_master(address, world_size, value) if rank == 0 else reduce_as_other(address, value)
    else:
        way = "torch"
        torch.distributed.init_process_group("gloo")
        tensor = torch.tensor([float(rank + 1)])
        torch.distributed.all_reduce(tensor)
        total = tensor.item()
        torch.distributed.destroy_process_group()
    print(f"rank {rank} of {world_size}, master {address[0]}, by {way}: sum {total:g}", flush=True)


if __name__ == "__main__":
    main()
