import { Menu, UnstyledButton } from '@mantine/core'
import type { Party } from '#api/phone/calls.ts'
import { Icon } from './icon/icon.tsx'
import classes from './phone/phone-number.module.css'
import { useNumberActions } from './phone/use-number-actions.ts'
import { useFormat } from './value/use-format.ts'

/** A name and its number, with a menu of actions: call, write, save. A button, so not inside a link. */
export const CallableNumber = ({ number = '', name = '', contactId, showsName = true }: Party & { showsName?: boolean }) => {
  const { phone } = useFormat()
  const hasName = name !== '' && name !== number
  const actions = useNumberActions()({ number, ...(hasName && { name }), ...(contactId !== undefined && { contactId }) })
  const words = (
    <>
      {hasName && showsName && <span>{name}</span>}
      {number !== '' && <span className={hasName && showsName ? classes.beside : classes.number}>{phone(number)}</span>}
    </>
  )
  if (actions.length === 0) return <span className={classes.words}>{words}</span>
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <span className={classes.words}>{words}</span>
          <Icon name="chevronDown" size={14} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, icon, onClick }) => (
          <Menu.Item key={label} leftSection={<Icon name={icon} size={16} />} onClick={onClick}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Numbers of one party whose name is already shown, one per line. */
export const CallableNumbers = ({ numbers, of }: { numbers: readonly string[]; of: Omit<Party, 'number'> }) => (
  <span className={classes.list}>
    {numbers.map((number) => (
      <CallableNumber key={number} number={number} {...of} showsName={false} />
    ))}
  </span>
)
