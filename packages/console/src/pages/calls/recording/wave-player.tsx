import { ActionIcon, Group } from '@mantine/core'
import { useImperativeHandle, type RefObject } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../parts/text.ts'
import type { WavPicture } from './wav-peaks.ts'
import classes from './wave-player.module.css'
import { useWaveSurfer } from './use-wave-surfer.ts'
import { Position, Speed } from './wave-player-controls.tsx'

export interface Seeker {
  /** Plays from there. */
  playFrom(seconds: number): void
}

export interface WavePlayerProps {
  url: string
  picture: WavPicture
  sides: readonly string[]
  seeker: RefObject<Seeker | undefined> | undefined
}

/** Plays a recording, each channel in a row of its own. */
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
