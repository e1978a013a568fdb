import { useEffect, useRef } from 'react'
import { useText } from '#words/use-text.tsx'
import { columns, type Levels, type Side } from './sound/levels.ts'
import { text } from './text.ts'
import classes from './waveform.module.css'

const height = 96
/** For users who prefer reduced motion. */
const cooldownMs = 500

/** Both sides, one above the other, as loud as they were; the newest at the right. */
export const Waveform = ({ levels, running }: { levels: Levels; running: boolean }) => {
  const say = useText(text)
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const element = canvas.current
    if (!element) return undefined
    draw(element, levels)
    if (!running) return undefined
    return repeat(() => draw(element, levels))
  }, [levels, running])
  return (
    <figure className={classes.figure}>
      <canvas ref={canvas} className={classes.canvas} height={height} role="img" aria-label={say.waveform} />
      <figcaption className={classes.caption}>
        <span data-side="caller">{say.you}</span>
        <span data-side="assistant">{say.assistant}</span>
      </figcaption>
    </figure>
  )
}

/** Once for each picture that the browser draws. */
const repeat = (work: () => void): (() => void) => {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
    const timer = setInterval(work, cooldownMs)
    return () => clearInterval(timer)
  }
  let next = 0
  const step = (): void => {
    work()
    next = requestAnimationFrame(step)
  }
  step()
  return () => cancelAnimationFrame(next)
}

const draw = (canvas: HTMLCanvasElement, levels: Levels): void => {
  const context = canvas.getContext('2d')
  if (!context) return
  const width = Math.max(1, canvas.clientWidth)
  if (canvas.width !== width) canvas.width = width
  context.clearRect(0, 0, width, height)
  // Colours of its own the browser gives as they are written, with both schemes in them; these it has resolved.
  const { color, outlineColor } = getComputedStyle(canvas)
  drawSide(context, levels.read('caller'), color, 'caller')
  drawSide(context, levels.read('assistant'), outlineColor, 'assistant')
}

/** Hearing is not linear either: soft speech would be a flat line. */
const seen = (loudness: number): number => Math.sqrt(loudness)

const drawSide = (context: CanvasRenderingContext2D, loudness: Float32Array, colour: string, side: Side): void => {
  const middle = height / 2
  const step = context.canvas.width / columns
  context.fillStyle = colour
  for (const [index, value] of loudness.entries()) {
    const length = Math.max(1, seen(value) * (middle - 2))
    context.fillRect(index * step, side === 'caller' ? middle - length : middle, Math.max(1, step * 0.8), length)
  }
}
