import { NativeSelect, Slider, Text } from '@mantine/core'
import { useState } from 'react'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from '../parts/text.ts'
import classes from './wave-player.module.css'

const speeds = ['0.75', '1', '1.25', '1.5', '2']

/** A slider, because the waveform needs a mouse. */
export const Position = ({ position, seconds, onMove }: { position: number; seconds: number; onMove: (at: number) => void }) => {
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

export const Speed = ({ onChange }: { onChange: (speed: number) => void }) => {
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
