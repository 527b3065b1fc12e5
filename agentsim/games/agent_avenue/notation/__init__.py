"""Games and positions as text that a person can read and type: ``docs/notation.md`` tells the format."""

from agentsim.games.agent_avenue.notation.position import is_position as is_position
from agentsim.games.agent_avenue.notation.position import parse_position as parse_position
from agentsim.games.agent_avenue.notation.position import read_position as read_position
from agentsim.games.agent_avenue.notation.position import write_position as write_position
from agentsim.games.agent_avenue.notation.reading import parse_game as parse_game
from agentsim.games.agent_avenue.notation.reading import read_game as read_game
from agentsim.games.agent_avenue.notation.record import GameRecord as GameRecord
from agentsim.games.agent_avenue.notation.record import Ply as Ply
from agentsim.games.agent_avenue.notation.record import record_of as record_of
from agentsim.games.agent_avenue.notation.replaying import Step as Step
from agentsim.games.agent_avenue.notation.replaying import play_record as play_record
from agentsim.games.agent_avenue.notation.writing import write_game as write_game
