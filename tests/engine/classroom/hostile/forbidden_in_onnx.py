"""Calls torch's own attention where torch keeps it for another format, under a name of its own.

part1_simplified.simplified_self_attention: forbidden
message: uses torch's own `attention_23`
"""

import torch.onnx


def simplified_self_attention(inputs):
    alone = inputs.reshape(-1, 1, *inputs.shape[-2:])
    attention = torch.onnx.ops._impl.attention_23._init_fn
    return attention(alone, alone, alone, scale=1.0, qk_matmul_output_mode=3)[0].reshape(inputs.shape)
