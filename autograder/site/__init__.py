"""The lectures: pages that compute their own numbers and pictures, and the Markdown extensions that make the site of them."""
