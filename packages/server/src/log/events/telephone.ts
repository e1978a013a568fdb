import type { LogEvent } from './log-event.ts'

const nothing = 'None.'
const report = 'Report it with the stack in `err`.'

/** Calls, phones, trunks and audio. */
export const telephoneEvents = {
  call_started: { level: 'info', text: 'call started', action: nothing },
  call_answered: { level: 'info', text: 'call answered', action: nothing },
  call_transferred: { level: 'info', text: 'call transferred', action: nothing },
  call_ended: { level: 'info', text: 'call ended', action: nothing },
  call_taken: { level: 'info', text: 'another process goes on with a call of this one', action: nothing },
  call_resumed: { level: 'info', text: 'goes on with a call of another process', action: nothing },
  calls_rescued: {
    level: 'warn',
    text: 'went on with calls of a process that is gone',
    action: 'Find out why it is gone. Calls that are not among `resumed` have ended.',
  },
  calls_handed_over: {
    level: 'info',
    text: 'calls of this process went to others, because it is to end or to be drained',
    action: 'None. Calls that are not among `given` stay until they end.',
  },
  overload_began: {
    level: 'warn',
    text: 'the machine is overloaded: new calls and requests of phones get 503 as far as it cannot carry them',
    action:
      '`by` is what is too slow (loop: main thread, media: packets leave late, recogniser, database). If it happens often, add processors or another process.',
  },
  overload_ended: { level: 'info', text: 'everything is admitted again', action: nothing },
  call_failed: { level: 'error', text: 'a step of a call failed', action: report },
  call_command_failed: { level: 'error', text: 'a command that another process passed on for a call here failed', action: report },
  call_lease_failed: {
    level: 'error',
    text: 'a call could not be secured against the loss of this process',
    action: 'Check the database: other processes end calls whose process seems to be dead.',
  },
  call_timeline_failed: {
    level: 'error',
    text: 'the timeline of a call could not be stored',
    action: 'Check the database. The call itself goes on.',
  },
  call_push_failed: {
    level: 'error',
    text: 'a call notification could not be processed',
    action: 'Check the database. The call goes on without the notification.',
  },
  phone_audio_missing: {
    level: 'warn',
    text: 'no audio from or to a phone in a call',
    action: 'Run `npx offhook doctor`; `state` says what is missing, and the guide `sip-phone.md` what to do about it.',
  },
  phone_audio_restored: { level: 'info', text: 'audio from and to a phone in a call is there again', action: nothing },
  sip_source_banned: {
    level: 'warn',
    text: 'a SIP source is ignored for a while',
    action: 'If the address is yours, correct the password of its phone, or list it in `OFFHOOK_SIP_TRUSTED`.',
  },
  sip_source_flooding: {
    level: 'warn',
    text: 'too many SIP messages from one address; those that belong to no call are dropped',
    action: 'If the address is yours, list it in `OFFHOOK_SIP_TRUSTED`; if not, block it at the firewall.',
  },
  sip_unproven_flood: {
    level: 'warn',
    text: 'more SIP messages from unproven sources than are looked at; phones that logged in, calls and trunks are not affected',
    action:
      'New phones register when they try again. If it lasts, close the SIP port to networks without phones, or put the edge in front (guide `security.md`).',
  },
  trunk_calls_rejected: {
    level: 'warn',
    text: 'a trunk brings more calls than agreed, or too few RTP ports are free; the calls get 503',
    action:
      'If the calls are real, raise `callsPerSecond` and `maxCalls` of the trunk, or `OFFHOOK_RTP`. If not, have the carrier send over TLS, where no source can be forged.',
  },
  browser_phone_failed: { level: 'error', text: 'something a page of the console asked for in a call could not be done', action: report },
  sip_fault: { level: 'error', text: 'a SIP message could not be processed', action: report },
  trunk_changed: { level: 'info', text: 'the state of a trunk has changed', action: nothing },
  trunk_lease_failed: {
    level: 'error',
    text: 'it could not be found out which process registers with carriers',
    action: 'Check the database. What is registered stays so; without it another process may begin to register after half a minute.',
  },
  trunk_rejected: {
    level: 'error',
    text: 'a carrier rejects the trunk',
    action: "`problem` holds the carrier's words: correct the credentials of the trunk, or settle the account with the carrier.",
  },
  calls_draining: { level: 'info', text: 'waiting for calls to end', action: nothing },
  rtp_ports_exhausted: {
    level: 'error',
    text: 'no RTP port is free: calls are rejected',
    action: 'Widen `OFFHOOK_RTP`, or end other programs that use its ports.',
  },
  media_ready: { level: 'info', text: 'audio is ready', action: nothing },
  media_leg_failed: { level: 'error', text: 'the audio of a call leg failed', action: report },
  media_worker_died: { level: 'error', text: 'a media worker died; its calls are over', action: report },
  webrtc_process_died: {
    level: 'error',
    text: 'the process that talks to browsers died; their calls are over',
    action: 'Report it with what `why` says, and with what was written to the standard error before.',
  },
  assistant_session_failed: { level: 'error', text: 'a step of an assistant session failed', action: report },
  assistant_result_lost: { level: 'error', text: 'what an endpoint said of a call could not be kept', action: report },
  test_run_lost: { level: 'error', text: 'a test of a flow could not be run to its end, or what came of it not be kept', action: report },
  assistant_turn: { level: 'info', text: 'an assistant has replied to a caller', action: nothing },
  knowledge_embeddings_failed: {
    level: 'warn',
    text: 'the model for vectors of a flow could not be asked; what it knows was looked up by words',
    action: 'Tell the customer: the address or key under `knowledge.embeddings` is wrong, or its server is down.',
  },
} as const satisfies Record<string, LogEvent>
