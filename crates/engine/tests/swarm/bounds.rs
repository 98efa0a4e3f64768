//! Every bound of the simulation, by name and with its unit.

/// Agents that are registered in each run.
pub const AGENTS: usize = 2_000;
/// Sessions that are opened in each run.
pub const SESSIONS: usize = 600;
/// Within this time all sessions are opened, in milliseconds.
pub const OPEN_WITHIN_MS: u64 = 12 * 60 * 1_000;
/// After this time nobody begins anything new, in milliseconds.
pub const WORK_MS: u64 = 20 * 60 * 1_000;
/// So long after that everything is over, whatever the agents do, in milliseconds: 7 days.
pub const DRAIN_MS: u64 = 7 * 24 * 60 * 60 * 1_000;
/// Most steps that the end may take; more means that time does not move.
pub const DRAIN_STEPS_MAX: u32 = 200_000;
/// Most polls until the engine's own tasks are done after a step.
pub const SETTLE_POLLS_MAX: u32 = 10_000_000;
/// Restarts of the engine in the middle of the work.
pub const RESTARTS: u64 = 4;
/// Longest time that the engine is away during a restart, in milliseconds.
pub const AWAY_MS_MAX: u64 = 90_000;
/// Turns that the owner of a session takes, at most.
pub const TURNS_MAX: u64 = 6;
/// How often an agent tries again to take work while it is at capacity.
pub const TAKE_TRIES_MAX: u32 = 4;
/// How often an agent tries again to give back while it waits for something.
pub const RETURN_TRIES_MAX: u32 = 6;
/// Acts of each liar.
pub const LIES: u64 = 6;
/// Old leases that liars remember.
pub const STALE_MAX: usize = 64;
/// Sessions whose limits are raised in the middle of the work.
pub const RAISED: usize = 20;
/// Things that agents can do.
pub const SKILLS: u64 = 40;
/// Friends of an agent.
pub const FRIENDS: usize = 6;
/// Longest circle of agents that hand the same work around.
pub const RING_MAX: u64 = 12;
/// Lines of the trace that are shown when something is wrong.
pub const TRACE_LINES: usize = 60;
/// Agents and sessions of the run that is repeated to the letter.
pub const SMALL: (usize, usize) = (200, 40);
/// Handoffs of one agent to another per minute: fewer than usual, so that the guard is reached.
pub const PAIR_PER_MINUTE: u32 = 6;
