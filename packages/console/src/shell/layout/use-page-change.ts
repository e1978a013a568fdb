import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'

/** A new page begins at its top. Whoever chose it in the navigation goes on in its content, and hears so from a screen reader. */
export const usePageChange = (): void => {
  const [location] = useLocation()
  const shown = useRef(location)
  useEffect(() => {
    if (shown.current === location) return
    shown.current = location
    scrollTo(0, 0)
    const focused = document.activeElement
    if (focused === document.body || focused?.closest('nav')) document.getElementById('content')?.focus({ preventScroll: true })
  }, [location])
}
