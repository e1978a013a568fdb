/** Why the microphone cannot be used. `insecure`: browsers give microphones only to pages that come over HTTPS or from this machine. */
export type MicrophoneProblem = 'insecure' | 'refused' | 'missing' | 'busy'

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

/** Sound in the browser needs a page that is secure; without one, there is neither a microphone nor a loudspeaker. */
export const isSoundPossible = (): boolean => isSecureContext && 'AudioWorkletNode' in globalThis

/** Asks the person for it. What the loudspeaker plays is taken out of what the microphone hears. */
export const openMicrophone = async (): Promise<MediaStream> => {
  if (!isSoundPossible()) throw new MicrophoneError('insecure')
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 }
  try {
    return await navigator.mediaDevices.getUserMedia({ audio })
  } catch (error) {
    throw new MicrophoneError(problems[(error as Error).name] ?? 'busy')
  }
}
