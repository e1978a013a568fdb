import { useLayoutEffect } from 'react'

/** Where the focus was last, apart from menus: who opens a dialog from a menu finds the menu's button again, since its entries are gone. */
let lastFocused: Element | null = null

if ('document' in globalThis)
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.closest('[role=menu]') === null) lastFocused = target
  })

const isUnspecified = (focused: Element | null): boolean => focused === null || focused === document.body

/** A dialog that is closed, or no longer drawn, gives the focus back to what opened it, or to the page when that is gone, too. */
export const useFocusReturn = (opened: boolean): void => {
  useLayoutEffect(() => {
    if (!opened) return undefined
    const opener = lastFocused
    return () => {
      const inside = document.activeElement?.closest('[role=dialog]') ? document.activeElement : null
      // Once it is removed, and before anything else looks for somebody who has lost the focus.
      queueMicrotask(() => {
        const focused = document.activeElement
        if (!isUnspecified(focused) && focused !== inside) return
        const target = opener instanceof HTMLElement && opener.isConnected ? opener : document.querySelector<HTMLElement>('#content')
        target?.focus({ preventScroll: true })
      })
    }
  }, [opened])
}
