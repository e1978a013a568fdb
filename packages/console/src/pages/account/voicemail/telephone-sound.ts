/** Voicemail format: WAV, one channel, 16 bit, 8 kHz. */
const sampleRate = 8000

const headerBytes = 44

const maxBytes = 2 * 1024 * 1024

/** Maximum greeting length accepted by the service. */
export const maxSeconds = Math.floor((maxBytes - headerBytes) / (sampleRate * 2))

/** Converts any audio that this browser can decode to telephone audio. Throws the errors of `decodeAudioData`. */
export const toTelephoneSound = async (file: Blob): Promise<Uint8Array<ArrayBuffer>> => {
  const decoder = new OfflineAudioContext(1, 1, sampleRate)
  const sound = await decoder.decodeAudioData(await file.arrayBuffer())
  const mixer = new OfflineAudioContext(1, Math.max(1, Math.ceil(sound.duration * sampleRate)), sampleRate)
  const source = mixer.createBufferSource()
  source.buffer = sound
  source.connect(mixer.destination)
  source.start()
  const mixed = await mixer.startRendering()
  return wavOf(mixed.getChannelData(0))
}

export const secondsOf = (wav: Uint8Array): number => (wav.length - headerBytes) / (sampleRate * 2)

export const wavOf = (samples: Float32Array): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(headerBytes + samples.length * 2)
  const view = new DataView(bytes.buffer)
  const write = (at: number, word: string): void => bytes.set(new TextEncoder().encode(word), at)
  write(0, 'RIFF')
  view.setUint32(4, bytes.length - 8, true)
  write(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true) // PCM
  view.setUint16(22, 1, true) // channels
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  write(36, 'data')
  view.setUint32(40, samples.length * 2, true)
  for (const [index, sample] of samples.entries())
    view.setInt16(headerBytes + index * 2, Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff), true)
  return bytes
}

/** In chunks, because a call with a million arguments fails. */
export const toBase64 = (bytes: Uint8Array): string => {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 0x2000) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 0x2000)))
  return btoa(pieces.join(''))
}

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
