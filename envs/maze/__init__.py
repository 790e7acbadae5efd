"""The Killer of the Maze."""
