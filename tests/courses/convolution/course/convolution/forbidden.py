"""Names with which torch does a whole convolution, for the steps in which students write one."""

CONVOLUTION = (
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose2d",
    "convolution",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose2d",
)
