import { ActionIcon, Menu } from '@mantine/core'
import { useText } from '#words/use-text.tsx'
import { Icon, type IconName } from '../icon/icon.tsx'
import { text } from '../text.ts'

export interface MenuAction {
  label: string
  icon: IconName
  onClick: () => void
  /** Destructive: red, and last. */
  danger?: boolean
  disabled?: boolean
}

/** The three dots at the end of a row. `label` names the row: "Actions for Sales". */
export const RowMenu = ({ label, actions }: { label?: string; actions: readonly MenuAction[] }) => {
  const say = useText(text)
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label ?? say.more}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label: words, icon, onClick, danger, disabled }) => (
          <Menu.Item
            key={words}
            leftSection={<Icon name={icon} size={16} />}
            onClick={onClick}
            disabled={disabled ?? false}
            {...(danger && { c: 'var(--mantine-color-error)' })}
          >
            {words}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
