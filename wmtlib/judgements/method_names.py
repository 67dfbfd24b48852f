"""One name for each ranking method and preference model, and the title that plots show.

Tables, commands and code use the name. The methods of Lopez (2012) are called by their equations,
the models of Hopkins & May (2013) as in their figures.
"""

TITLES = {
    "wmt-official": "Lopez Eq. 1",
    "heuristic2": "Lopez Eq. 2",
    "bojar": "Lopez Eq. 3",
    "bojar-places": "Lopez Eq. 3, places only",
    "expected-wins": "Expected Wins",
    "net-wins": "Net Wins",
    "soccer": "Soccer",
    "mfas": "MFAS",
    "bradley-terry": "Bradley-Terry (Davidson)",
    "rao-kupper": "Bradley-Terry (Rao-Kupper)",
    "bradley-terry-half": "Bradley-Terry (ties half)",
    "trueskill": "TrueSkill",
    "uniform": "Uniform",
    "adjusted-uniform": "Adjusted Uniform",
    "independent-pairs": "Independent Pairs",
    "independent-students-asymmetric": "Asymmetric Students",
    "independent-students-arithmetic": "Arithmetic Students",
    "independent-students-geometric": "Geometric Students",
    "independent-students-geometric-as-printed": "Geometric Students (as printed)",
    "irt-gaussian": "IRT-Gaussian",
    "irt-categorical": "IRT-Categorical",
    "irt-gaussian-fitted": "IRT-Gaussian (radius fitted)",
    "irt-categorical-fitted": "IRT-Categorical (radius fitted)",
    "irt-gaussian-segments-unknown": "IRT-Gaussian (segments unknown)",
    "z-score": "Mean z-score",
    "raw-score": "Mean raw score",
}


def title(name: str) -> str:
    """How plots and prose call a method; a name without a title is its own."""
    return TITLES.get(name, name)
