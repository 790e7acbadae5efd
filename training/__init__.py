"""How policies are made: PPO over the batch of games, a self-play league, evaluation, export."""
