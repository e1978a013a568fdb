import type { Page } from 'playwright-core'

/** Sample rate of the captured page sound: that of telephones and of the test tones. */
export const heardRate = 8_000

/**
 * Runs in the browser before the page's scripts: copies all loudspeaker output to a recorder, and disables microphone processing, because
 * browsers suppress noise, and steady tones count as noise.
 */
const eavesdrop = `
  const recorded = []
  let recorder
  const connect = AudioNode.prototype.connect
  AudioNode.prototype.connect = function (target, ...rest) {
    if (target instanceof AudioDestinationNode) {
      if (!recorder) {
        const ear = target.context.createMediaStreamDestination()
        recorder = new MediaRecorder(ear.stream, { audioBitsPerSecond: 128000 })
        recorder.ear = ear
        recorder.addEventListener('dataavailable', ({ data }) => recorded.push(data))
        recorder.start()
      }
      connect.call(this, recorder.ear)
    }
    return connect.call(this, target, ...rest)
  }
  globalThis.whatWasPlayed = async () => {
    const newest = new Promise((resolve) => recorder.addEventListener('dataavailable', resolve, { once: true }))
    recorder.requestData()
    await newest
    const decoder = new OfflineAudioContext(1, 1, ${heardRate})
    const sound = await decoder.decodeAudioData(await new Blob(recorded).arrayBuffer())
    return Array.from(sound.getChannelData(0), (sample) => Math.round(sample * 32767))
  }
  const getUserMedia = MediaDevices.prototype.getUserMedia
  MediaDevices.prototype.getUserMedia = function ({ audio }) {
    globalThis.wantedMicrophone = audio
    return getUserMedia.call(this, { audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false } })
  }
`

/** Call before the page is opened. */
export const listenToPage = (page: Page): Promise<unknown> => page.addInitScript(eavesdrop)

/** Everything that the page has played so far. Call it before the call ends. */
export const playedAudio = async (page: Page): Promise<Int16Array> =>
  Int16Array.from(await page.evaluate<number[]>('globalThis.whatWasPlayed()'))

/** The user denies the microphone, or has none: name of the browser's error. */
export const refuseMicrophone = (page: Page, error: 'NotAllowedError' | 'NotFoundError'): Promise<unknown> =>
  page.addInitScript(`MediaDevices.prototype.getUserMedia = () => Promise.reject(new DOMException('', '${error}'))`)
