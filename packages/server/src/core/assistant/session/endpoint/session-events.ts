import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { SpokenWord } from '#core/kernel/ports/speech.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import type { Said, Spoken } from '../conversation/conversation.ts'

/** `knowsMore`: the endpoint knows more than the oldest form of the interface. */
export const userSpeak = (session: Session, said: Said, knowsMore: boolean, previewed = false): AssistantEvent => {
  const { text, bargedIn, heardText, heardMs, language, confidence, words } = said
  return {
    type: 'user_speak',
    session,
    text,
    barged_in: bargedIn,
    ...(heardText !== undefined && { heard_text: heardText }),
    ...(heardMs !== undefined && { heard_ms: heardMs }),
    ...(knowsMore && {
      ...(language !== undefined && { language }),
      ...(confidence !== undefined && { confidence }),
      ...(words && { words: words.map(spokenWord) }),
    }),
    ...(previewed && { previewed }),
  }
}

const spokenWord = ({ text, startMs, endMs, confidence }: SpokenWord) => ({
  text,
  start_ms: Math.round(startMs),
  end_ms: Math.round(endMs),
  ...(confidence !== undefined && { confidence }),
})

export const assistantSpeak = (session: Session, spoken: Spoken, knowsMore: boolean): AssistantEvent => {
  const { text, ssml, durationMs, startedAt, completed, heardText } = spoken
  return {
    type: 'assistant_speak',
    session,
    ...(text !== undefined && { text }),
    ...(ssml !== undefined && { ssml }),
    duration_ms: durationMs,
    speech_started_at: startedAt,
    ...(knowsMore && {
      ...(!completed && heardText !== undefined && { heard_text: heardText }),
      ...streamOf(spoken),
    }),
  }
}

export const assistantSpeechEnded = (session: Session, spoken: Spoken): AssistantEvent => ({
  type: 'assistant_speech_ended',
  session,
  completed: spoken.completed,
  heard_ms: spoken.heardMs,
  ...streamOf(spoken),
})

const streamOf = ({ streamId }: Spoken) => streamId !== undefined && { stream_id: streamId }
