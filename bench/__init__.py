"""Speed and memory of Placet, each figure beside a floor measured in the same run."""
