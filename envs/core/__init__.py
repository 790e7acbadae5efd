"""What the games share: dice, records, actions, adapters, batches, scenes."""
