"""Mutation operators: small edits of syntax trees. Nothing is executed here, so torch is not needed."""
