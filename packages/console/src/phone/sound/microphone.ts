import { kept } from '#api/kept.ts'
import type { MicrophoneProblem } from '#api/phone/calls.ts'

export class MicrophoneError extends Error {
  readonly problem: MicrophoneProblem

  constructor(problem: MicrophoneProblem) {
    super(`the microphone is ${problem}`)
    this.problem = problem
  }
}

const problems: Readonly<Record<string, MicrophoneProblem>> = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
}

/** Audio in the browser needs a secure page; otherwise there is neither a microphone nor a loudspeaker. */
export const isSoundPossible = (): boolean => isSecureContext && 'AudioWorkletNode' in globalThis

/** Asks the person. Uses echo cancellation, and the chosen microphone if it is plugged in. */
export const openMicrophone = async (): Promise<MediaStream> => {
  if (!isSoundPossible()) throw new MicrophoneError('insecure')
  const chosen = kept('phone.microphone')
  const audio = {
    echoCancellation: true,
    noiseSuppression: true,
    autoGainControl: true,
    channelCount: 1,
    ...(chosen !== undefined && chosen !== '' && { deviceId: { ideal: chosen } }),
  }
  try {
    return await navigator.mediaDevices.getUserMedia({ audio })
  } catch (error) {
    throw new MicrophoneError(problems[(error as Error).name] ?? 'busy')
  }
}
