# `nix run github:toolcrib/toolcrib` builds the program from source; `nix develop` gives a shell with what the tests need.
{
  description = "File tools for AI agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = build: nixpkgs.lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});
      cargo = builtins.fromTOML (builtins.readFile ./Cargo.toml);
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "toolcrib";
          version = cargo.workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package" "toolcrib-cli" ];
          # The tests need the network and a writable home; `cargo xtask test` runs them.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/toolcrib man > toolcrib.1
            installManPage toolcrib.1
            installShellCompletion --cmd toolcrib \
              --bash <($out/bin/toolcrib completions bash) \
              --zsh <($out/bin/toolcrib completions zsh) \
              --fish <($out/bin/toolcrib completions fish)
          '';
          meta = {
            description = "File tools for AI agents";
            homepage = cargo.workspace.package.repository;
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "toolcrib";
            platforms = systems;
          };
        };
      });

      devShells = each (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [ cargo rustc clippy rustfmt nodejs_22 python311 ];
        };
      });
    };
}
