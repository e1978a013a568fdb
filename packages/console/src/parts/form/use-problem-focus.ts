import { useEffect, useRef, type RefObject } from 'react'

/** Leads to the first field that was refused: in a long form it may be out of sight. */
export const useProblemFocus = (error: unknown): RefObject<HTMLFormElement | null> => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const field = error ? form.current?.querySelector<HTMLElement>('[aria-invalid=true]') : undefined
    field?.focus({ preventScroll: true })
    field?.scrollIntoView({ block: 'center' })
  }, [error])
  return form
}
