import { ActionIcon, Menu } from '@mantine/core'
import { Link } from 'wouter'
import { api } from '#api/client.ts'
import { endSession, useSession, type Role } from '#api/session.ts'
import { useMe } from '#api/use-me.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'

/** The token ends at the service, too; when that cannot be reached, it is at least forgotten here. */
const logOut = async (role: Role): Promise<void> => {
  await (role === 'operator' ? api.deleteOperatorSession() : api.deleteSessionToken()).catch(() => undefined)
  endSession(role)
}

export const PersonMenu = ({ role }: { role: Role }) => {
  const say = useText(text)
  const name = useName(role)
  const other = useSession(role === 'operator' ? 'user' : 'operator')
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="light" radius="xl" size="lg" aria-label={name}>
          <Icon name={role === 'operator' ? 'shield' : 'user'} size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{name}</Menu.Label>
        {(role === 'operator' || other.token !== undefined) && (
          <Menu.Item component={Link} href={role === 'operator' ? '/' : '/operator'} leftSection={<Icon name="switch" size={16} />}>
            {role === 'operator' ? say.toUser : say.toOperator}
          </Menu.Item>
        )}
        {role === 'user' && (
          <Menu.Item component={Link} href="/me" leftSection={<Icon name="user" size={16} />}>
            {say.profile}
          </Menu.Item>
        )}
        <Menu.Item
          component={Link}
          href={role === 'operator' ? '/operator/security' : '/security'}
          leftSection={<Icon name="shield" size={16} />}
        >
          {say.security}
        </Menu.Item>
        <Menu.Item component="a" href="/docs/" target="_blank" leftSection={<Icon name="book" size={16} />}>
          {say.documentation}
        </Menu.Item>
        <Menu.Item component="a" href="/docs/api/" target="_blank" leftSection={<Icon name="code" size={16} />}>
          {say.reference}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="logOut" size={16} />} onClick={() => void logOut(role)}>
          {say.logOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

const useName = (role: Role): string => {
  const say = useText(text)
  const me = useMe()
  return role === 'operator' ? say.operatorTitle : me ? `${me.firstname} ${me.lastname}` : '…'
}
