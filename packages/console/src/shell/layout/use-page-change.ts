import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'

/** A new page begins at its top. After a choice in the navigation the focus moves to its content, so that a screen reader says so. */
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
