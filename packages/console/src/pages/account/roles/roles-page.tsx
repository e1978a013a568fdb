import { Checkbox, Group, Table, Text } from '@mantine/core'
import { scopedPermissions, type Restriction } from '@offhook/contract/restrictions.ts'
import { Fragment, useState } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { areaNames, permissionsOf, permissionText, type Area } from './permission-words.ts'
import { RoleForm, type Role } from './role-form.tsx'
import { text } from './text.ts'

/** Own roles as a table: permissions are rows, roles are columns. */
export const RolesPage = () => {
  const say = useText(text)
  const roles = useRead('listRoles')
  const [edited, setEdited] = useState<Role | 'new'>()
  return (
    <Page title={say.title} description={say.lead} actions={<AddButton onClick={() => setEdited('new')}>{say.add}</AddButton>}>
      <Section flush>
        <Loaded query={roles}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon="user" title={say.empty}>
                {say.emptyHint}
              </EmptyState>
            ) : (
              <RoleTable roles={items} onEdit={setEdited} />
            )
          }
        </Loaded>
      </Section>
      {edited !== undefined && <RoleForm role={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </Page>
  )
}

interface RoleTableProps {
  roles: readonly Role[]
  onEdit: (role: Role) => void
}

const RoleTable = ({ roles, onEdit }: RoleTableProps) => {
  const say = useText(text)
  const { areas } = useText(permissionText)
  return (
    <Table.ScrollContainer
      minWidth={260 + 150 * roles.length}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': say.table } }}
    >
      <Table aria-label={say.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{say.permission}</Table.Th>
            {roles.map((role) => (
              <Table.Th scope="col" key={role.id}>
                <RoleHead role={role} onEdit={onEdit} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {areaNames.map((area) => (
            <Fragment key={area}>
              <Table.Tr>
                <Table.Th scope="colgroup" colSpan={roles.length + 1}>
                  <Text size="xs" c="dimmed">
                    {areas[area]}
                  </Text>
                </Table.Th>
              </Table.Tr>
              <AreaRows area={area} roles={roles} />
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const AreaRows = ({ area, roles }: { area: Area; roles: readonly Role[] }) => {
  const { permissions } = useText(permissionText)
  return permissionsOf(area).map((permission) => (
    <Table.Tr key={permission}>
      <Table.Th scope="row" fw={400}>
        {permissions[permission]}
      </Table.Th>
      {roles.map((role) => (
        <Table.Td key={role.id}>
          <PermissionTick role={role} permission={permission} />
        </Table.Td>
      ))}
    </Table.Tr>
  ))
}

/** Saves at once. */
const PermissionTick = ({ role, permission }: { role: Role; permission: Restriction }) => {
  const { permissions } = useText(permissionText)
  const toast = useToast()
  const change = useWrite('changeRole', { refreshes: ['listRoles'] })
  const { id, name, scope } = role
  const others = role.permissions.filter((one) => one !== permission)
  const set = (isGranted: boolean): void =>
    change.mutate([{ roleId: id }, { name, scope, permissions: isGranted ? [...others, permission] : others }], {
      onError: (error) => toast.failed(error),
    })
  return (
    <Checkbox
      aria-label={`${name}: ${permissions[permission] ?? permission}`}
      checked={role.permissions.includes(permission)}
      disabled={scope !== null && !scopedPermissions.includes(permission)}
      onChange={({ currentTarget }) => !change.isPending && set(currentTarget.checked)}
    />
  )
}

const RoleHead = ({ role, onEdit }: { role: Role; onEdit: (role: Role) => void }) => {
  const say = useText(text)
  const { actionsFor } = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('deleteRole', { refreshes: ['listRoles'], onDone: () => toast.done(say.deleted) })
  const { id, name, scope, users } = role
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.deleteTitle(name), body: say.deleteBody, confirm: say.delete }))
      remove.mutate([{ roleId: id }], { onError: (error) => toast.failed(error) })
  }
  const count = scope ? scope.groups.length + scope.lines.length + scope.assistants.length : 0
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <div>
        <Text size="sm" fw={550}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" fw={400}>
          {scope ? say.scope(count) : say.everything} · {say.people(users)}
        </Text>
      </div>
      <RowMenu
        label={actionsFor(name)}
        actions={[
          { label: say.edit, icon: 'edit', onClick: () => onEdit(role) },
          { label: say.delete, icon: 'trash', danger: true, disabled: users > 0, onClick: () => void ask() },
        ]}
      />
    </Group>
  )
}
