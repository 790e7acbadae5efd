"""The rules of The Killer of the Maze, a file per chapter."""
