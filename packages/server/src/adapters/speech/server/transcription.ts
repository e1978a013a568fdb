import type { Clock } from '#core/kernel/ports/platform.ts'
import { SpeechUnavailable, type ExpectedAnswer, type Stt, type SttOptions, type Transcript } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import type { FairQueue } from '#core/kernel/work/fair-queue.ts'
import { within } from '#core/kernel/work/waiting.ts'
import { soundPieces } from '../recogniser/sound-pieces.ts'
import type { Urgency } from './protocol.ts'
import { heardRate } from './decode-sound.ts'
import { overloaded, ServiceError } from './service-error.ts'

export interface TranscriptionDeps {
  stt: Stt
  clock: Clock
  queue: FairQueue
}

/** A part of a sound with its words, in seconds. */
export interface Segment {
  start: number
  end: number
  transcript: Transcript
}

export interface TranscriptionRequest {
  /** 8 kHz. */
  sound: Int16Array
  options: SttOptions
  urgency: Urgency | undefined
  expected?: ExpectedAnswer | undefined
  /** Callers take turns. */
  caller: string
}

/** Milliseconds for one piece: a model may have to be loaded first. */
const maxPieceMs = 60_000

/** Yields the words of a sound, piece by piece: between two pieces of a long one other callers get their turn. */
export async function* transcribe(deps: TranscriptionDeps, request: TranscriptionRequest, signal: AbortSignal): AsyncGenerator<Segment> {
  const { sound, urgency, caller } = request
  let at = 0
  for (const piece of soundPieces(sound, heardRate)) {
    const hear = (): Promise<Transcript | undefined> => transcribePiece(deps, piece, request, signal)
    // A caller that only probes does not queue.
    const transcript = urgency === 'glance' ? await hear() : await deps.queue.run(caller, hear)
    if (!transcript) {
      if (urgency === 'glance') return
      throw overloaded()
    }
    const end = at + piece.length / heardRate
    yield { start: at, end, transcript }
    at = end
  }
}

const transcribePiece = async (
  { stt, clock }: TranscriptionDeps,
  piece: Int16Array,
  { options, urgency, expected }: TranscriptionRequest,
  signal: AbortSignal,
): Promise<Transcript | undefined> => {
  signal.throwIfAborted()
  const track = SoundTrack.of((piece.length + 1) / heardRate)
  track.write(piece)
  track.end()
  const stream = stt.open(track, { ...options, ...(urgency === 'patient' && { patient: true }) }, { failed: () => {} })
  try {
    return await within(clock, maxPieceMs, signal, (stop) =>
      urgency === 'glance'
        ? (stream.glance?.(0, piece.length, stop) ?? Promise.resolve(undefined))
        : stream.transcribe(0, piece.length, stop, expected),
    )
  } catch (error) {
    throw explained(error, signal)
  } finally {
    stream.close()
  }
}

/** Missing models and a full queue are faults of this server: another one may do better. */
const explained = (error: unknown, signal: AbortSignal): unknown => {
  if (signal.aborted || error instanceof ServiceError) return error
  if (error instanceof SpeechUnavailable) return new ServiceError(503, 'unavailable', `${error.message}.`, { retryAfterSeconds: 1 })
  return error
}
