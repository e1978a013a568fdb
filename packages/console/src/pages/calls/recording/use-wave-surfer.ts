import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import WaveSurfer from 'wavesurfer.js'
import { styleNonce } from '#parts/style-nonce.ts'
import type { WavPicture } from './wav-peaks.ts'

export const useWaveSurfer = (url: string, { peaks, seconds }: WavPicture) => {
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
