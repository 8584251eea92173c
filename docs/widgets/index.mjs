/** All widgets of the lectures. */
import "./causal_mask.mjs";
import "./dot_product_variance.mjs";
import "./head_split.mjs";
import "./matrix_products.mjs";
import "./softmax_temperature.mjs";
import "./view_transpose.mjs";
import "./weighted_sum.mjs";
