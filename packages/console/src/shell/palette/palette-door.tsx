import { Kbd, UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useState, type ComponentType } from 'react'
import type { Role } from '#api/session.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'
import classes from './palette-door.module.css'
import type { PaletteProps } from './palette.tsx'

/** Opens the command palette, by a click or Ctrl-K. Loaded at first use. */
export const PaletteDoor = ({ role }: { role: Role }) => {
  const say = useText(text)
  const toast = useToast()
  const [Palette, setPalette] = useState<ComponentType<PaletteProps>>()
  const [opened, setOpened] = useState(false)
  const open = (): void => {
    setOpened(true)
    if (Palette === undefined) import('./palette.tsx').then((loaded) => setPalette(() => loaded.Palette)).catch(toast.failed)
  }
  useHotkeys([['mod+K', open]], [])
  return (
    <>
      <UnstyledButton className={classes.door} onClick={open} aria-keyshortcuts="Control+K" title={`${say.search} (${say.searchKeys})`}>
        <Icon name="search" size={18} />
        <span className={classes.words}>
          {say.search} <Kbd size="xs">{say.searchKeys}</Kbd>
        </span>
      </UnstyledButton>
      {opened && Palette && <Palette role={role} onClose={() => setOpened(false)} />}
    </>
  )
}
