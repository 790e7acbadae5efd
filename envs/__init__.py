"""The games: rules, observations, masks, pictures, and the faces through which they are played."""
