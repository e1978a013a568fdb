import { useEffect, useEffectEvent, useState } from 'react'
import classes from './keypad.module.css'

const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#']
const letters: Readonly<Record<string, string>> = {
  2: 'ABC',
  3: 'DEF',
  4: 'GHI',
  5: 'JKL',
  6: 'MNO',
  7: 'PQRS',
  8: 'TUV',
  9: 'WXYZ',
}
const litMs = 150

/** The keys of a telephone, for the mouse and, outside of text fields, for the keyboard. */
export const Keypad = ({ label, onPress }: { label: string; onPress: (digit: string) => void }) => {
  const [lit, setLit] = useState<string>()
  const press = useEffectEvent((digit: string) => {
    setLit(digit)
    onPress(digit)
  })
  useEffect(() => {
    const timer = setTimeout(() => setLit(undefined), litMs)
    return () => clearTimeout(timer)
  }, [lit])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (keys.includes(event.key) && !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target))
        press(event.key)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <div className={classes.keypad} role="group" aria-label={label}>
      {keys.map((key) => (
        <button
          key={key}
          type="button"
          className={classes.key}
          aria-label={key}
          data-lit={lit === key}
          onClick={() => {
            setLit(key)
            onPress(key)
          }}
        >
          {key}
          <span className={classes.letters} aria-hidden="true">
            {letters[key]}
          </span>
        </button>
      ))}
    </div>
  )
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
