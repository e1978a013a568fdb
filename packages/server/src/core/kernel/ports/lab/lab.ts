import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { LabInterruption, LabSettings, LabTurn } from '@offhook/contract/v2/lab.ts'

/** Both sides of a call, 16 bit. */
export interface BothSides {
  rate: number
  heard: Int16Array<ArrayBuffer>
  sent: Int16Array<ArrayBuffer>
}

/** Something that the assistant said. Times are milliseconds since the recording began. */
export interface RecordedSpeech {
  eventId?: string
  startMs: number
  /** As long as it would have sounded, had nobody cut it off: estimated where somebody did. */
  fullMs: number
  text: string
  /** Of its action; the flow's counts where it says nothing. */
  bargeIn?: ActionOf<'speak'>['barge_in']
  protect: boolean
  wantsAnswer: boolean
}

/** What an action changed about listening. */
export type RecordedRequest = { atMs: number } & Pick<ActionOf<'configure_transcription'>, 'vad' | 'turn_taking' | 'languages'> &
  Partial<{ expecting: Pick<ActionOf<'speak'>, 'expects' | 'expects_digits'> }>

/** The voice detector's result, of this moment; `sample`: counted since the assistant began to listen. */
export interface VoiceAt {
  speaks: boolean
  atMs: number
  sample?: number | undefined
}

export interface LabWork {
  sound: BothSides
  speeches: readonly RecordedSpeech[]
  wishes: readonly RecordedRequest[]
  /** What the detector said in the call: where in the sound the times of the call are is found by it. None: they are taken as they are. */
  voice: readonly VoiceAt[]
  /** The first of several is in force. */
  languages: readonly string[]
  vocabulary: readonly string[]
  /** How long the recogniser took. */
  recogniserMs: number
  /** Each with all that counts, none is taken from another. */
  variants: readonly LabSettings[]
}

/** With one variant. */
export interface LabRun {
  turns: (LabTurn & { silenceMs: number; cut: boolean; missed: boolean })[]
  interruptions: LabInterruption[]
}

export interface LabFindings {
  /** What has to be added to times of the call to find them in the sound. */
  shiftMs: number
  runs: LabRun[]
}

/** Listens to recordings again, beside the calls. */
export interface Lab {
  /** Undefined: it has enough to do. */
  run(work: LabWork): Promise<LabFindings> | undefined
}
