import { ActionIcon, Group, useComputedColorScheme, NativeSelect, Slider, Text } from '@mantine/core'
import { useImperativeHandle, type RefObject, useEffect, useRef, useState } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../parts/text.ts'
import classes from './wave-player.module.css'
import WaveSurfer from 'wavesurfer.js'
import { styleNonce } from '#parts/style-nonce.ts'
import { useFormat } from '#parts/value/use-format.ts'
import type { WavPicture } from './wav-peaks.ts'

export interface Seeker {
  /** Plays from this position. */
  playFrom(seconds: number): void
}

interface WavePlayerProps {
  url: string
  picture: WavPicture
  sides: readonly string[]
  seeker: RefObject<Seeker | undefined> | undefined
}

/** Plays a recording, each channel in a separate row. */
export const WavePlayer = ({ url, picture, sides, seeker }: WavePlayerProps) => {
  const say = useText(text)
  const { box, player, isPlaying, position } = useWaveSurfer(url, picture)
  const { seconds, peaks } = picture
  useImperativeHandle(seeker, () => ({
    playFrom: (at) => {
      player.current?.setTime(Math.max(0, Math.min(at, seconds)))
      void player.current?.play()
    },
  }))
  return (
    <div>
      <div className={classes.frame}>
        {peaks.length > 1 && (
          <div className={classes.sides} aria-hidden="true">
            {sides.map((side) => (
              <span key={side}>{side}</span>
            ))}
          </div>
        )}
        <div ref={box} className={classes.wave} role="img" aria-label={say.waveform} />
      </div>
      <Group gap="sm" mt="xs" wrap="nowrap">
        <ActionIcon
          size="lg"
          radius="xl"
          aria-label={isPlaying ? say.playerPause : say.playerPlay}
          onClick={() => void player.current?.playPause()}
        >
          <Icon name={isPlaying ? 'pause' : 'play'} />
        </ActionIcon>
        <Position position={position} seconds={seconds} onMove={(at) => player.current?.setTime(at)} />
        <Speed onChange={(speed) => player.current?.setPlaybackRate(speed, true)} />
      </Group>
    </div>
  )
}

const useWaveSurfer = (url: string, { peaks, seconds }: WavPicture) => {
  const box = useRef<HTMLDivElement>(null)
  const player = useRef<WaveSurfer>(undefined)
  const [isPlaying, setPlaying] = useState(false)
  const [position, setPosition] = useState(0)
  const scheme = useComputedColorScheme()
  useEffect(() => {
    if (!box.current) return undefined
    const { color, outlineColor, borderColor } = getComputedStyle(box.current)
    const row = (progressColor: string) => ({ waveColor: borderColor, progressColor, height: 56 })
    const wave = WaveSurfer.create({
      container: box.current,
      url,
      peaks,
      duration: seconds,
      cspNonce: styleNonce(),
      cursorColor: color,
      normalize: false,
      dragToSeek: true,
      ...row(color),
      ...(peaks.length > 1 && { splitChannels: [row(color), row(outlineColor)] }),
    })
    wave.on('play', () => setPlaying(true))
    wave.on('pause', () => setPlaying(false))
    wave.on('timeupdate', setPosition)
    player.current = wave
    return () => wave.destroy()
  }, [url, peaks, seconds, scheme])
  return { box, player, isPlaying, position }
}

const speeds = ['0.75', '1', '1.25', '1.5', '2']

/** A slider, because the waveform needs a mouse. */
const Position = ({ position, seconds, onMove }: { position: number; seconds: number; onMove: (at: number) => void }) => {
  const say = useText(text)
  const { duration } = useFormat()
  return (
    <>
      <Text size="sm" className={classes.time}>
        {duration(position * 1000)} / {duration(seconds * 1000)}
      </Text>
      <Slider
        className={classes.slider}
        size="sm"
        label={null}
        thumbLabel={say.position}
        max={seconds}
        step={0.1}
        value={position}
        onChange={onMove}
        thumbProps={{ 'aria-valuetext': duration(position * 1000) }}
      />
    </>
  )
}

const Speed = ({ onChange }: { onChange: (speed: number) => void }) => {
  const say = useText(text)
  const { number } = useFormat()
  const [speed, setSpeed] = useState('1')
  return (
    <NativeSelect
      size="xs"
      aria-label={say.speed}
      data={speeds.map((value) => ({ value, label: `${number(Number(value), 2)}×` }))}
      value={speed}
      onChange={({ currentTarget: { value } }) => {
        setSpeed(value)
        onChange(Number(value))
      }}
    />
  )
}
