import { Text } from '@mantine/core'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useText } from '#words/use-text.tsx'
import classes from './phone-page.module.css'
import { text } from './text.ts'

const pollIntervalMs = 50
/** Decibels below full scale at which the bar starts to move. */
const range = 60

/** Current loudness. `onEnd`: the page is left, or the microphone unplugged. */
export const Meter = ({ stream, onEnd }: { stream: MediaStream; onEnd: () => void }) => {
  const say = useText(text)
  const bar = useRef<HTMLDivElement>(null)
  const end = useEffectEvent(onEnd)
  useEffect(() => {
    const context = new AudioContext()
    const ear = new AnalyserNode(context, { fftSize: 1024 })
    context.createMediaStreamSource(stream).connect(ear)
    const timer = setInterval(() => {
      const level = levelOf(ear)
      bar.current?.style.setProperty('transform', `scaleX(${level})`)
      bar.current?.parentElement?.setAttribute('aria-valuenow', String(Math.round(level * 100)))
    }, pollIntervalMs)
    const lost = (): void => end()
    for (const track of stream.getTracks()) track.addEventListener('ended', lost)
    return () => {
      clearInterval(timer)
      void context.close()
      for (const track of stream.getTracks()) track.stop()
    }
  }, [stream])
  return (
    <div>
      <div className={classes.meter} role="meter" aria-label={say.level} aria-valuemin={0} aria-valuemax={100} aria-valuenow={0}>
        <div ref={bar} className={classes.level} />
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        {say.speak}
      </Text>
    </div>
  )
}

/** From 0, silence, to 1; logarithmic, in decibels. */
const levelOf = (ear: AnalyserNode): number => {
  const samples = new Float32Array(ear.fftSize)
  ear.getFloatTimeDomainData(samples)
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
  return power === 0 ? 0 : Math.min(1, Math.max(0, 1 + (10 * Math.log10(power)) / range))
}
