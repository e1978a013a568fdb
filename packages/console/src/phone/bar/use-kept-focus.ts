import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react'

/**
 * Buttons of a call come and go with what it does, and who used one with the keyboard would begin at the top of the page again: the focus stays with
 * the call, and goes back to the page when the call is gone. `phase`: whatever changes the buttons.
 */
export const useKeptFocus = (phase: string): RefObject<HTMLDivElement | null> => {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (document.activeElement === document.body) row.current?.focus({ preventScroll: true })
  }, [phase])
  useLayoutEffect(() => {
    const shown = row.current
    return () => {
      if (shown?.contains(document.activeElement)) document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true })
    }
  }, [])
  return row
}
