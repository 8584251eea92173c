"""`attn watch`: marking again on every save, with torch kept warm."""
