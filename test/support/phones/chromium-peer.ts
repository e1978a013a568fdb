/** In the page: sends 440 Hz, and listens. */
export const makeOffer = (mimeType: string): string => `(async () => {
  const audio = new AudioContext({ sampleRate: 48000 })
  const tone = audio.createOscillator()
  tone.frequency.value = 440
  const microphone = audio.createMediaStreamDestination()
  tone.connect(microphone)
  tone.start()
  await audio.resume()
  const connection = new RTCPeerConnection({ iceServers: [] })
  const transceiver = connection.addTransceiver(microphone.stream.getAudioTracks()[0], { direction: 'sendrecv', streams: [microphone.stream] })
  transceiver.setCodecPreferences(RTCRtpReceiver.getCapabilities('audio').codecs.filter((codec) => codec.mimeType === '${mimeType}'))
  connection.ontrack = ({ track }) => {
    const speaker = new Audio()
    speaker.srcObject = new MediaStream([track])
    speaker.play().catch(() => {})
    const analyser = audio.createAnalyser()
    analyser.fftSize = 8192
    audio.createMediaStreamSource(new MediaStream([track])).connect(analyser)
    globalThis.analyser = analyser
  }
  globalThis.connection = connection
  await connection.setLocalDescription(await connection.createOffer())
  await new Promise((resolve) => {
    if (connection.iceGatheringState === 'complete') resolve()
    connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && resolve()
  })
  return connection.localDescription.sdp
})()`

/** In the page: loudest received frequency, once it is near the expected one. */
export const listenFor = (hz: number): string => `(async () => {
  const bins = new Float32Array(analyser.frequencyBinCount)
  for (let i = 0; i < 600; i++) {
    analyser.getFloatFrequencyData(bins)
    const loudest = bins.reduce((best, level, at) => (level > bins[best] ? at : best), 0)
    const found = (loudest * 48000) / analyser.fftSize
    if (Math.abs(found - ${hz}) < 20) return Math.round(found)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return 'nothing near'
})()`

/** In the page: answer to a later offer of the far end. */
export const answerTo = (offer: string): string => `(async () => {
  await connection.setRemoteDescription({ type: 'offer', sdp: ${JSON.stringify(offer)} })
  await connection.setLocalDescription(await connection.createAnswer())
  await new Promise((resolve) => {
    if (connection.iceGatheringState === 'complete') resolve()
    connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && resolve()
  })
  return connection.localDescription.sdp
})()`
