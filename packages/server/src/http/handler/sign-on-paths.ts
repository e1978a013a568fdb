/** Addresses of an identity provider's logins; `id` may be a route parameter. */
export const signOnPaths = (publicUrl: string, id: string) => {
  const login = `${publicUrl}/login/sso/${id}`
  return {
    login,
    /** OIDC. */
    callback: `${login}/callback`,
    /** SAML. */
    assertion: `${login}/assertion`,
    metadata: `${login}/metadata`,
    finish: `${login}/finish`,
    scim: `${publicUrl}/scim/v2`,
  }
}
