"""Writes what the product reads from student.pt: words.bin (the table of pieces, int8 with one scale a row) and words.onnx (the GRU and its head, float32).

usage: export.py <student.pt> <out folder>

words.bin: 4 bytes length of a JSON head {"buckets", "dims"}, the head, `buckets` float32 scales, then `buckets` × `dims` int8.
"""
import json
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Judge(nn.Module):
    def __init__(self, dims, hidden):
        super().__init__()
        self.gru, self.head, self.end = nn.GRU(dims, hidden, 1), nn.Linear(hidden, 48), nn.Linear(48, 1)

    def forward(self, rows):
        _, state = self.gru(rows)
        return self.end(F.relu(self.head(state[0])))


def main(source, out):
    weights = {key: value.float() for key, value in torch.load(source, map_location='cpu').items()}
    table = weights.pop('table.weight').numpy()[:-1]
    scales = (np.maximum(np.abs(table).max(1), 1e-8) / 127).astype(np.float32)
    head = json.dumps({'buckets': table.shape[0], 'dims': table.shape[1]}).encode()
    head += b' ' * (-len(head) % 4)
    with open(f'{out}/words.bin', 'wb') as file:
        file.write(len(head).to_bytes(4, 'little') + head + scales.tobytes())
        file.write(np.round(table / scales[:, None]).clip(-127, 127).astype(np.int8).tobytes())
    dims, hidden = table.shape[1], weights['gru.weight_hh_l0'].shape[1]
    judge = Judge(dims, hidden)
    judge.load_state_dict(weights)
    judge.eval()
    torch.onnx.export(judge, (torch.randn(20, 1, dims),), f'{out}/words.onnx', input_names=['rows'], output_names=['logOdds'],
                      dynamic_axes={'rows': {0: 'words'}}, opset_version=17, dynamo=False)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
