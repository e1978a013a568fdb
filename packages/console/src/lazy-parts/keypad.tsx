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

/** The keys of a telephone. `lit`: the key pressed on the keyboard. */
export const Keypad = ({ label, lit, onPress }: { label: string; lit?: string | undefined; onPress: (digit: string) => void }) => (
  <div className={classes.keypad} role="group" aria-label={label}>
    {keys.map((key) => (
      <button
        key={key}
        type="button"
        className={classes.key}
        aria-label={key}
        data-letters={letters[key] ?? ''}
        data-lit={lit === key}
        onClick={() => onPress(key)}
      >
        {key}
      </button>
    ))}
  </div>
)

/** The same keys on the keyboard, except in text fields. Returns the pressed one. */
export const useTelephoneKeys = (isOn: boolean, onPress: (digit: string) => void): string | undefined => {
  const [lit, setLit] = useState<string>()
  const press = useEffectEvent((digit: string) => {
    setLit(digit)
    onPress(digit)
  })
  useEffect(() => {
    if (!isOn) return undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      const isPlain = !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey
      if (keys.includes(event.key) && isPlain && !isTyping(event.target)) press(event.key)
    }
    const onKeyUp = (): void => setLit(undefined)
    addEventListener('keydown', onKeyDown)
    addEventListener('keyup', onKeyUp)
    return () => {
      removeEventListener('keydown', onKeyDown)
      removeEventListener('keyup', onKeyUp)
    }
  }, [isOn])
  return lit
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
