/** Values stored in this browser, this tab first. Storage may be full or forbidden: then they last as long as the page. */
export const kept = (name: string): string | undefined => {
  try {
    return sessionStorage.getItem(`offhook.${name}`) ?? localStorage.getItem(`offhook.${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Whether it is stored for the tab only. */
export const keptUntil = (name: string): 'forgotten' | 'closed' => {
  try {
    return sessionStorage.getItem(`offhook.${name}`) === null ? 'forgotten' : 'closed'
  } catch {
    return 'closed'
  }
}

/** Stores a value permanently, or until the tab is closed. */
export const keep = (name: string, value: string, until: 'forgotten' | 'closed' = 'forgotten'): void => {
  try {
    const storage = until === 'closed' ? sessionStorage : localStorage
    storage.setItem(`offhook.${name}`, value)
  } catch {
    // The page works without storage.
  }
}

export const forget = (name: string): void => {
  try {
    localStorage.removeItem(`offhook.${name}`)
    sessionStorage.removeItem(`offhook.${name}`)
  } catch {
    // Nothing was stored.
  }
}
