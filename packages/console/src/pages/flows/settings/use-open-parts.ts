import { useState } from 'react'

export interface OpenParts {
  isOpen: (id: string) => boolean
  toggle: (id: string, open: boolean) => void
  /** Opens a part and scrolls to it. */
  go: (id: string) => void
}

/** Open parts of the page. */
export const useOpenParts = (first: Readonly<Record<string, boolean>>): OpenParts => {
  const [open, setOpen] = useState(first)
  const toggle = (id: string, isOpen: boolean): void => setOpen((all) => ({ ...all, [id]: isOpen }))
  return {
    isOpen: (id) => open[id] ?? false,
    toggle,
    go: (id) => {
      toggle(id, true)
      document.querySelector(`#${id}`)?.scrollIntoView({ block: 'start' })
    },
  }
}
