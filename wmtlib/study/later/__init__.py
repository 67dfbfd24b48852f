"""The questions of the three papers, asked of the campaigns since: WMT16 to WMT24."""
