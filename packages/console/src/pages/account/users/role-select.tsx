import { Select } from '@mantine/core'
import type { UserRole } from '@offhook/contract/roles.ts'
import type { ReactNode } from 'react'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

const roles = ['USER', 'BILLING', 'DEVELOPER', 'ADMIN'] as const satisfies readonly UserRole[]

interface RoleSelectProps {
  value: UserRole
  onChange: (role: string | null) => void
  error?: ReactNode
  disabled?: boolean
}

/** What somebody may do; the role that is chosen is explained below. */
export const RoleSelect = (props: RoleSelectProps) => {
  const say = useText(text)
  return (
    <Select
      label={say.role}
      data={roles.map((role) => ({ value: role, label: say.roles[role].name }))}
      description={say.roles[props.value].means}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      allowDeselect={false}
      {...props}
    />
  )
}
