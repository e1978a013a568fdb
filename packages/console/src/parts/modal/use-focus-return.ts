import { useLayoutEffect } from 'react'

/**
 * The last focused element outside menus: after a dialog opened from a menu the focus returns to the menu's button, since its entries are
 * gone.
 */
let lastFocused: Element | null = null

if ('document' in globalThis)
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.closest('[role=menu]') === null) lastFocused = target
  })

const isUnspecified = (focused: Element | null): boolean => focused === null || focused === document.body

/** Returns the focus to the opener of a closed or removed dialog, or to the page if the opener is gone. */
export const useFocusReturn = (opened: boolean): void => {
  useLayoutEffect(() => {
    if (!opened) return undefined
    const opener = lastFocused
    return () => {
      const inside = document.activeElement?.closest('[role=dialog]') ? document.activeElement : null
      // After its removal, and before other code handles the lost focus.
      queueMicrotask(() => {
        const focused = document.activeElement
        if (!isUnspecified(focused) && focused !== inside) return
        const target = opener instanceof HTMLElement && opener.isConnected ? opener : document.querySelector<HTMLElement>('#content')
        target?.focus({ preventScroll: true })
      })
    }
  }, [opened])
}
