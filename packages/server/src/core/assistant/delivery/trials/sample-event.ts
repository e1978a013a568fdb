import type { AssistantEvent, EventType } from '@offhook/contract/assistant/events.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'

/** Reserved by the regulator for fiction: no calls reach them. */
export const sampleNumbers = { called: '493023125000', caller: '493023125001' } as const

const sampleToken = 'turn-1-1'

/** An example of an event. */
export const sampleEvent = (type: EventType, session: Session, text: string, now: number): AssistantEvent =>
  samples(session, text, now)[type]

const samples = (session: Session, text: string, now: number): { [T in EventType]: Extract<AssistantEvent, { type: T }> } => ({
  session_start: { type: 'session_start', session },
  user_speak: { type: 'user_speak', session, text, barged_in: false },
  assistant_speak: { type: 'assistant_speak', session, text, duration_ms: 1200, speech_started_at: now - 1200 },
  session_end: { type: 'session_end', session, reason: 'caller_hangup' },
  assistant_speech_ended: { type: 'assistant_speech_ended', session, completed: true, heard_ms: 1200 },
  user_input_timeout: { type: 'user_input_timeout', session },
  dtmf_received: { type: 'dtmf_received', session, digit: '1' },
  user_speech_started: { type: 'user_speech_started', session },
  action_discarded: { type: 'action_discarded', session, action: 'speak', turn: 1, reason: 'superseded' },
  transfer_failed: { type: 'transfer_failed', session, target: `+${sampleNumbers.called}`, cause: 'busy' },
  machine_detected: { type: 'machine_detected', session, result: 'human' },
  session_resumed: { type: 'session_resumed', session, sequence: 7, lost_ms: 1500 },
  user_speech_unclear: { type: 'user_speech_unclear', session, duration_ms: 900, best_guess: text, confidence: 0.31 },
  user_backchannel: { type: 'user_backchannel', session, text: 'mhm' },
  user_speak_partial: { type: 'user_speak_partial', session, text, stable_chars: Math.floor(text.length / 2) },
  user_speak_preview: { type: 'user_speak_preview', session, turn_token: sampleToken, text, confidence: 0.93, end_probability: 0.8 },
  audio_played: { type: 'audio_played', session, name: 'greeting', played_ms: 1200 },
  audio_cleared: { type: 'audio_cleared', session, played_ms: 800, reason: 'barge_in' },
  user_speak_revoked: { type: 'user_speak_revoked', session, turn_token: sampleToken },
})
