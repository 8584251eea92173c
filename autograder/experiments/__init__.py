"""What students do with their own code once it passes: train it, measure it. These modules run it here, and import torch."""
