class Memviz < Formula
  desc "See what PyTorch kept in GPU memory, and when, and why"
  homepage "[[.Page]]"
  version "[[.Version]]"
  license "MIT"
[[range .Systems]]
  [[.Block]] do
  [[- range .Archives]]
    [[.Block]] do
      url "[[$.Downloads]]/[[.Name]]"
      sha256 "[[.Sum]]"
    end
  [[- end]]
  end
[[end]]
  def install
    bin.install "memviz"
    prefix.install "NOTICES"
    generate_completions_from_executable(bin/"memviz", "completion")
    (man1/"memviz.1").write Utils.safe_popen_read(bin/"memviz", "man")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/memviz version")
  end
end
