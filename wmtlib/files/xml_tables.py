"""WMT's XML of relative rankings as a user's table: one row for each ranked system."""

from wmtlib.errors import DataError
from wmtlib.files import ranking_xml
from wmtlib.files.frame_tables import FrameTable
from wmtlib.files.opening import UserFiles


class XmlTable(FrameTable):
    """Columns task, ranking, segment, judge, system and rank. Places are rows of the table."""

    def __init__(self, files: UserFiles):
        with open(files.unpacked[0], "rb") as file:
            outputs = ranking_xml.read_ranking_xml(file, files.origin)
        super().__init__(files, ranking_xml.single_systems(outputs).set_index("line"))

    def refuse(self, place: int, message: str) -> DataError:
        return self.origin.refuse_line(int(self.taken.index[place]), message)
