/** What this browser remembers between visits, this tab first. Storage may be full or forbidden: then it is forgotten with the page. */
export const kept = (name: string): string | undefined => {
  try {
    return sessionStorage.getItem(`offhook.${name}`) ?? localStorage.getItem(`offhook.${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Whether it goes with the tab. */
export const keptUntil = (name: string): 'forgotten' | 'closed' => {
  try {
    return sessionStorage.getItem(`offhook.${name}`) === null ? 'forgotten' : 'closed'
  } catch {
    return 'closed'
  }
}

/** For ever, or only as long as the tab is open. */
export const keep = (name: string, value: string, until: 'forgotten' | 'closed' = 'forgotten'): void => {
  try {
    const storage = until === 'closed' ? sessionStorage : localStorage
    storage.setItem(`offhook.${name}`, value)
  } catch {
    // The page goes on without it.
  }
}

export const forget = (name: string): void => {
  try {
    localStorage.removeItem(`offhook.${name}`)
    sessionStorage.removeItem(`offhook.${name}`)
  } catch {
    // There was nothing to forget.
  }
}
